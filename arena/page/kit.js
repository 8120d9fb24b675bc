// The kit that boards are given: markup, hooks, drawings, and the table round which players sit.
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { card, cards, cardWords } from "./drawings/cards.js";
import { chamber, item, itemWords, lives, shell } from "./drawings/chamber.js";
import { chips, pile } from "./drawings/chips.js";
import { dice, die } from "./drawings/dice.js";
import { bestFive, worthOf } from "./drawings/hands.js";
import { Choice, Stepper } from "./drawings/controls.js";
import { allows, filled } from "./drawings/moves.js";
import { isolated } from "./drawings/names.js";
import { bubble, handNow, orderOf, place, table, winners } from "./drawings/table.js";
import { classes, counted, listed, numberWord, percent, place as placeWord } from "./drawings/words.js";

// The seat of a name in an observation or event; `owner`: the seat whose observation it is, which calls itself "yourself".
export function seatOf(scene, name, owner = null) {
  const seat = name === "yourself" && owner !== null ? owner : scene.names.indexOf(name);
  return seat < 0 ? null : seat;
}

// The event of a kind in this step of a scene, as its fields, or null.
export const told = (scene, kind) => scene.events.find((event) => event.kind === kind)?.fields ?? null;

export const kit = {
  html, useEffect, useMemo, useRef, useState,
  die, dice, card, cards, cardWords, bestFive, worthOf, chips, pile, shell, chamber, item, itemWords, lives,
  bubble, place, handNow, table, winners, orderOf, seatOf, told,
  allows, filled, Choice, Stepper, isolated,
  classes, counted, listed, numberWord, percent, placeWord,
};
