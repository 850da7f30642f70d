// Every text that can be seen: its colour on what is really behind it, by WCAG's formula.
() => {
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    return [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const over = (top, under) => top.slice(0, 3).map((c, k) => c * top[3] + under[k] * (1 - top[3])).concat(1);
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    if (!node) return [255, 255, 255, 1];
    const own = parse(getComputedStyle(node).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(node.parentElement));
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const node = walker.currentNode.parentElement;
    if (!text || node.closest("svg, script, style, noscript, option, .skip") || !node.checkVisibility()) continue;
    const style = getComputedStyle(node);
    const paper = behind(node);
    const [bright, dim] = [light(over(parse(style.color), paper)), light(paper)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((bright + 0.05) / (dim + 0.05) < (large ? 3 : 4.5)) found.add(`${text.slice(0, 40)} (${style.color})`);
  }
  return [...found];
}
