// Moves from what the wire says may be done: options, each a family of moves with the domain of every field.

// Whether an option contains the move with these fields.
export function allows(option, fields) {
  return Object.entries(option.fields).every(([name, domain]) => inDomain(domain, fields[name]));
}

function inDomain(domain, value) {
  if (domain.one_of) return domain.one_of.includes(value);
  if (domain.subset_of) {
    return value.length >= domain.least && value.length <= domain.most && value.every((each) => domain.subset_of.includes(each));
  }
  return Number.isInteger(value) && value >= domain.min && value <= domain.max;
}

// The move as it is sent: the option's form with its "<field>"s filled in.
export function filled(form, fields) {
  if (typeof form === "string") {
    const name = /^<(\w+)>$/.exec(form)?.[1];
    return name !== undefined && name in fields ? fields[name] : form;
  }
  if (Array.isArray(form)) return form.map((part) => filled(part, fields));
  if (form === null || typeof form !== "object") return form;
  return Object.fromEntries(Object.entries(form).map(([name, part]) => [name, filled(part, fields)]));
}
