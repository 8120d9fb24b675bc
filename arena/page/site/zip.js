// A zip of files as they are, uncompressed: what a browser needs to send a folder.

const LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50;
const IN_UTF8 = 0x0800, VERSION = 20, DAY = 0x21; // 1 January 1980: the same files make the same zip

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(octets) {
  let value = ~0;
  for (const octet of octets) value = (value >>> 8) ^ CRC[(value ^ octet) & 255];
  return ~value >>> 0;
}

// Numbers of two or four bytes, as [value, bytes], one after the other.
function packed(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, size]) => sum + size, 0)));
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

// `files`: [path, octets] each. Gives a Blob.
export function zipOf(files) {
  const parts = [], central = [];
  let offset = 0;
  for (const [path, octets] of files) {
    const name = new TextEncoder().encode(path), size = octets.length;
    const common = [[VERSION, 2], [IN_UTF8, 2], [0, 2], [0, 2], [DAY, 2], [checksum(octets), 4], [size, 4], [size, 4], [name.length, 2], [0, 2]];
    parts.push(packed([LOCAL, 4], ...common), name, octets);
    central.push(packed([CENTRAL, 4], [VERSION, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), name);
    offset += 30 + name.length + size;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = packed([END, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...central, end], { type: "application/zip" });
}
