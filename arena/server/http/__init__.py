"""HTTP and WebSockets: connections and what they may cost, the guard, routes, and the types of bodies."""
