import { inputError } from '../../sdk/index.js';
import type { Storage } from './client/index.js';

/** Title prefixes of the public templates behind abstract images. */
const TITLES: Readonly<Record<string, string>> = {
  'debian-12': 'Debian GNU/Linux 12',
  'debian-13': 'Debian GNU/Linux 13',
  'ubuntu-22.04': 'Ubuntu Server 22.04 LTS',
  'ubuntu-24.04': 'Ubuntu Server 24.04 LTS',
};

export const IMAGES: readonly string[] = Object.keys(TITLES);

const UUID = /^01[0-9a-f]{6}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reports whether a name is a template's UUID, or its title, which has capitals. */
export const isOwnImage = (name: string): boolean => UUID.test(name) || /[A-Z]/.test(name);

/** Returns the abstract name of a template, if it has one. */
export const imageName = ({ title }: Pick<Storage, 'title'>): string | undefined =>
  IMAGES.find((name) => title.startsWith(TITLES[name] ?? '\n'));

/** Returns the template of a definition's image. Throws the input error `unknown-image`. */
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
