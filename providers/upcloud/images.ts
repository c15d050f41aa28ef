import { inputError } from '../../sdk/index.js';
import type { Storage } from './client/index.js';

/** How the title of the public template behind each abstract image begins. */
const TITLES: Readonly<Record<string, string>> = {
  'debian-12': 'Debian GNU/Linux 12',
  'debian-13': 'Debian GNU/Linux 13',
  'ubuntu-22.04': 'Ubuntu Server 22.04 LTS',
  'ubuntu-24.04': 'Ubuntu Server 24.04 LTS',
};

export const IMAGES: readonly string[] = Object.keys(TITLES);

const UUID = /^01[0-9a-f]{6}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A template by its UUID, or by its title, which has capitals. */
export const isOwnImage = (name: string): boolean => UUID.test(name) || /[A-Z]/.test(name);

/** The abstract name of a template, where it has one. */
export const imageName = ({ title }: Pick<Storage, 'title'>): string | undefined =>
  IMAGES.find((name) => title.startsWith(TITLES[name] ?? '\n'));

/** The template that a definition means. Throws the input error `unknown-image`. */
export function templateFor(name: string, templates: readonly Storage[]): Storage {
  const found = templates.find((one) => one.uuid === name || one.title === name || imageName(one) === name);
  if (found) return found;
  throw inputError({
    code: 'unknown-image',
    what: 'choose the image',
    on: name,
    why: 'UpCloud has no such template',
    hint: `there are ${templates.map((one) => imageName(one) ?? `"${one.title}"`).join(', ')}`,
  });
}
