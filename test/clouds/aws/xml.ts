/** Element of an EC2 answer, with a text or with children. Texts stay escaped. */
export interface Element {
  name: string;
  text: string;
  children: Element[];
}

const TOKEN = /<\?[^>]*\?>|<(\/?)([\w:.-]+)([^>]*?)(\/?)>|([^<]+)/g;

/** Returns the root element. Attributes are dropped, except the root's, which `print` restores. */
export function parse(text: string): Element {
  const top: Element = { name: '', text: '', children: [] };
  const open = [top];
  for (const [token, closing, name = '', , empty, words] of text.matchAll(TOKEN)) {
    const inner = open[open.length - 1];
    if (!inner || token.startsWith('<?')) continue;
    if (words !== undefined) inner.text += words;
    else if (closing) open.pop();
    else {
      const child: Element = { name, text: '', children: [] };
      inner.children.push(child);
      if (!empty) open.push(child);
    }
  }
  const [root] = top.children;
  if (!root || open.length !== 1) throw new Error(`no XML: ${text.slice(0, 200)}`);
  return root;
}

export function print(root: Element): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${printed(root, ' xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"')}`;
}

function printed({ name, text, children }: Element, attributes = ''): string {
  const inner = children.length > 0 ? children.map((child) => printed(child)).join('') : text;
  return `<${name}${attributes}>${inner}</${name}>`;
}

export const child = ({ children }: Element, name: string): Element | undefined => children.find((one) => one.name === name);
export const textOf = (element: Element, name: string): string | undefined => child(element, name)?.text;

/** Yields all elements below, the nearest first. */
export function* below(element: Element): Generator<Element> {
  for (const one of element.children) {
    yield one;
    yield* below(one);
  }
}

export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Creates an element from plain data: arrays become `item`s. */
export function element(name: string, value: unknown): Element {
  if (Array.isArray(value)) return { name, text: '', children: value.map((one) => element('item', one)) };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    return { name, text: '', children: entries.map(([key, one]) => element(key, one)) };
  }
  return { name, text: escaped(String(value)), children: [] };
}
