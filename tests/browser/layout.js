// What a reader could not read: text beyond the window, cut off by a box around it, or under other text.
() => {
  const problems = [];
  const texts = [];
  const shown = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none" || style.opacity === "0") return false;
      if (each.tagName === "DETAILS" && !each.open && !element.closest("summary")) return false;
    }
    return true;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script,style,noscript,title,desc,.skip") || !shown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 0.5 && box.height > 0.5) texts.push({ element, box, words: node.data.trim().slice(0, 60) });
    }
  }
  for (const { element, box, words } of texts) {
    let scrolls = false;
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      const style = getComputedStyle(each);
      const around = each.getBoundingClientRect();
      const out = box.left < around.left - 1.5 || box.right > around.right + 1.5;
      if (["auto", "scroll"].includes(style.overflowX)) scrolls = true;
      if (!scrolls && out && (["hidden", "clip"].includes(style.overflowX) || each.tagName === "svg")) {
        problems.push(`cut off by ${each.tagName.toLowerCase()}: ${words}`);
        break;
      }
    }
    if (!scrolls && (box.left < -0.5 || box.right > innerWidth + 0.5)) problems.push(`beyond the window: ${words}`);
  }
  // two texts overlap when more than a hair of both is shared; letters leave room above and below themselves
  texts.sort((a, b) => a.box.top - b.box.top);
  texts.forEach((one, at) => {
    for (let next = at + 1; next < texts.length && texts[next].box.top < one.box.bottom; next++) {
      const other = texts[next];
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const scrolled = one.element.closest(".scroll,nav") || other.element.closest(".scroll,nav");
      if (wide > 1.5 && high > 4 && one.element !== other.element && !scrolled) {
        problems.push(`over each other: ${one.words} | ${other.words}`);
      }
    }
  });
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the window");
  return problems;
}
