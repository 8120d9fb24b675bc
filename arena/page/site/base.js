// Where the site lies on its host. Its own modules write the server's paths, as `/tables/ID`; before an address leaves
// for the network, the address bar or a link, the path below which a proxy has the whole server comes in front of it.

import { options } from "../vendor/preact.js";

export const BASE = new URL("../../..", import.meta.url).pathname.slice(0, -1); // this file is /static/page/site/base.js there

// The whole address of a path of ours, for somebody to whom it is sent.
export const addressOf = (path) => `${location.origin}${BASE}${path}`;

// A path of the address bar as the server's own; one that lies elsewhere as it is.
export const ownPath = (path) => (`${path}/`.startsWith(`${BASE}/`) ? path.slice(BASE.length) || "/" : path);

// Links in the markup of the site, all of them, so that none can be forgotten.
options.vnode = ({ type, props }) => {
  if (type === "a" && props.href?.startsWith("/")) props.href = BASE + props.href;
};
