// Words that drawings share: numbers, lists, places in a ranking.

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

// "no", "one", "twelve"; digits from 13 on, as `arena.words.number_word` has them.
export const numberWord = (number) => NUMBERS[number] ?? number.toLocaleString("en");

// "one die", "four dice".
export const counted = (number, one, many = `${one}s`) => `${numberWord(number)} ${number === 1 ? one : many}`;

// "1st", "22nd", "13th".
export function place(rank) {
  const teen = rank % 100 > 10 && rank % 100 < 14;
  return `${rank}${(!teen && { 1: "st", 2: "nd", 3: "rd" }[rank % 10]) || "th"}`;
}

// The parts that are not empty, as the value of a class attribute.
export const classes = (...parts) => parts.filter(Boolean).join(" ");

// "ann", "ann and bob", "ann, bob and cat".
export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

// A share of 1: "37%"; what is neither impossible nor certain is never said to be.
export const percent = (share) => (share > 0 && share < 0.01 ? "under 1%" : share < 1 && share > 0.99 ? "over 99%" : `${Math.round(100 * share)}%`);
