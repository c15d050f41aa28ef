/** Line of a terminal with its time, in seconds from the beginning. */
export interface Line {
  at: number;
  text: string;
  /** Text that a person types is emphasized. */
  kind: 'typed' | 'printed' | 'important';
}

const COLUMN = 8.4;
const ROW = 19;
const PADDING = 16;
const TITLE_BAR = 30;
const COLORS: Record<Line['kind'], string> = { typed: '#7ee787', printed: '#c9d1d9', important: '#ffa657' };

/** Duration of the last frame before the animation restarts, in seconds. */
const PAUSE = 6;

/**
 * Returns an SVG without scripts that plays the lines in a terminal window in a loop. Each line appears at its time,
 * and the page scrolls by whole rows. The first line is visible from the beginning.
 *
 * @param size columns and rows of the terminal; longer lines are cut
 */
export function terminalSvg(
  lines: readonly Line[],
  { columns, rows, title }: { columns: number; rows: number; title: string },
): string {
  const total = (lines.at(-1)?.at ?? 0) + PAUSE;
  const width = Math.ceil(columns * COLUMN + 2 * PADDING);
  const height = TITLE_BAR + rows * ROW + PADDING;
  const percent = (at: number) => `${((100 * at) / total).toFixed(2)}%`;
  const texts = lines.map(({ at, text, kind }, index) => {
    const y = (index + 1) * ROW - 5;
    // The first line is always visible: an image that is not played must not be empty.
    const appears = index === 0 ? '' : ` style="animation-name:l${momentOf(at)}"`;
    return `<text class="${kind}" x="${PADDING}" y="${y}"${appears}>${escapeXml(text.length > columns ? `${text.slice(0, columns - 1)}…` : text)}</text>`;
  });
  const moments = [...new Map(lines.map(({ at }) => [momentOf(at), at]))];
  const appear = moments.map(
    ([name, at]) => `@keyframes l${name}{0%,${percent(at)}{opacity:0}${percent(at + 0.01)},100%{opacity:1}}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
.screen text{animation-duration:${total.toFixed(2)}s;animation-iteration-count:infinite;animation-timing-function:step-end}
${Object.entries(COLORS)
  .map(([kind, color]) => `.${kind}{fill:${color}}`)
  .join('\n')}
.screen{animation:scroll ${total.toFixed(2)}s step-end infinite}
@keyframes scroll{${scrolling(lines, rows, percent)}}
${appear.join('\n')}
@media (prefers-reduced-motion:reduce){.screen,.screen text{animation-play-state:paused;animation-delay:-${(total - 0.1).toFixed(2)}s}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${['#ff5f57', '#febc2e', '#28c840'].map((fill, index) => `<circle cx="${18 + index * 20}" cy="15" r="6" fill="${fill}"/>`).join('')}
<text x="${width / 2}" y="20" text-anchor="middle" fill="#8b949e">${escapeXml(title)}</text>
<clipPath id="screen"><rect width="${width}" height="${rows * ROW}"/></clipPath>
<g transform="translate(0,${TITLE_BAR})" clip-path="url(#screen)"><g class="screen">
${texts.join('\n')}
</g></g>
</svg>
`;
}

const momentOf = (at: number): string => String(Math.round(at * 1_000));

/** Returns the steps of the scroll position. When a line would be below the last row, all lines move up. */
function scrolling(lines: readonly Line[], rows: number, percent: (at: number) => string): string {
  const below = lines.flatMap(({ at }, index) => (index < rows ? [] : [[percent(at), index - rows + 1] as const]));
  // If several lines appear at the same time, the last one counts.
  const steps = [...new Map(below)].map(([at, hidden]) => `${at}{transform:translateY(-${hidden * ROW}px)}`);
  return `0%{transform:translateY(0)}${steps.join('')}`;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
