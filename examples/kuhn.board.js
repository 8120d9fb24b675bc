// The table of Kuhn poker: a card each, who put chips in, and whose card was higher.

export function board(scene, seat, kit) {
  const { html } = kit;
  if (!scene.state) return html`<p>The rules failed here, so there is nothing to show.</p>`;
  const { said } = scene.state;
  const chips = scene.names.map((_, each) => 1 + said.filter((word, at) => word === "bet" && at % 2 === each).length);
  const shown = kit.told(scene, "showdown")?.cards; // told only if both stayed in
  return kit.table(scene, seat, {
    centre: html`${kit.chips(chips[0] + chips[1], { label: "pot" })}
      ${scene.ranks ? kit.winners(scene) : html`<p class="k-note">${said.length ? said.join(", ") : "nobody has spoken yet"}</p>`}`,
    place: (each) => {
      const card = shown?.[each] ?? scene.own[each]?.your_card;
      return kit.place(scene, each, {
        stats: `${kit.counted(chips[each], "chip")} in the pot`,
        body: scene.turn >= 0 && kit.card(card ? `${card}*` : null), // before the first turn nothing is dealt
      });
    },
  });
}
