/* Lineage: a click on a node of the picture leads to its page, and pictures above 300 nodes are drawn on a canvas with the
   places that the server computed. The list beside the picture says the same without this file. */
(() => {
  "use strict";

  const go = (address) => { if (address && address.startsWith("/")) location.assign(address); };

  document.addEventListener("click", (event) => {
    const thing = event.target.closest?.(".lineage-svg [data-href]");
    if (thing) go(thing.dataset.href);
  });

  // The node that is asked about stands in the middle of what is shown of a wide picture.
  const picture = document.querySelector(".picture-scroll");
  const middle = picture?.querySelector(".is-start");
  if (middle) {
    const at = middle.getBoundingClientRect();
    const frame = picture.getBoundingClientRect();
    picture.scrollLeft += at.left + at.width / 2 - frame.left - frame.width / 2;
    picture.scrollTop += at.top + at.height / 2 - frame.top - frame.height / 2;
  }

  const place = document.querySelector("[data-graph]");
  if (!place || typeof cytoscape === "undefined") return;
  const colour = (name) => {
    // A canvas knows no variables, and no light-dark(): the browser says what they come to.
    const probe = document.createElement("span");
    probe.className = "visually-hidden";
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const shapes = {
    source: "round-rectangle", "source-version": "round-rectangle", claim: "hexagon", decision: "hexagon", answer: "tag",
    report: "tag", file: "tag", artifact: "tag", model: "octagon", prompt: "octagon", skill: "octagon", config: "octagon",
    run: "octagon", chunk: "rectangle", block: "rectangle", table: "rectangle", figure: "rectangle", "document-ir": "rectangle",
  };
  const draw = (graph) => {
    const elements = [
      ...graph.nodes.map((node) => ({
        data: {
          id: node.id, words: `${node.words}\n${node.note}`, url: node.url, state: node.state,
          shape: shapes[node.type] ?? "rhomboid", start: node.side === "start" ? 1 : 0,
        },
        position: { x: node.x, y: node.y },
      })),
      ...graph.edges.map((edge) => ({ data: { source: edge.to, target: edge.from } })),
    ];
    const drawn = cytoscape({
      container: place,
      elements,
      layout: { name: "preset" },
      autoungrabify: true,
      boxSelectionEnabled: false,
      style: [
        {
          selector: "node",
          style: {
            shape: "data(shape)", width: 184, height: 44, label: "data(words)", "text-wrap": "wrap", "text-max-width": 170,
            "text-valign": "center", "font-size": 12, color: colour("--ink"), "background-color": colour("--card"),
            "border-width": 1.3, "border-color": colour("--ink"),
          },
        },
        { selector: "node[?start]", style: { "border-width": 3, "border-color": colour("--accent") } },
        { selector: 'node[state = "stale"]', style: { "border-style": "dashed", "border-color": colour("--warn"), "background-color": colour("--warn-soft") } },
        { selector: 'node[state = "retracted"]', style: { "border-width": 3, "border-color": colour("--bad"), "background-color": colour("--bad-soft") } },
        { selector: 'node[state = "tombstoned"]', style: { "border-style": "dotted", "background-color": colour("--sunken") } },
        { selector: "edge", style: { width: 1, "line-color": colour("--line-strong"), "curve-style": "straight" } },
      ],
    });
    // A long column fitted into the frame would be a line: begin at the node that is asked about, where it can be read.
    if (drawn.zoom() < 0.45) {
      drawn.zoom(0.75);
      drawn.center(drawn.nodes("[?start]"));
    }
    drawn.on("tap", "node", (event) => go(event.target.data("url")));
    place.dataset.drawn = "yes";
  };
  fetch(place.dataset.graph, { headers: { Accept: "application/json" } })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.status))))
    .then(draw)
    .catch(() => { place.textContent = "The picture could not be fetched; the list has the same content."; });
})();
