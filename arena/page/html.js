// What every module of a page builds with: markup as values (Preact and htm), never as text.
import { Fragment, h, render } from "./vendor/preact.js";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { Fragment, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState };
