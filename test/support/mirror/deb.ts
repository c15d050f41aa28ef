import { type Entry, tarOf } from './archive.js';

/** Debian package. */
export interface DebPackage {
  name: string;
  version: string;
  depends?: string;
  files: Readonly<Record<string, Entry>>;
  /** Script that root runs after the files are installed. */
  postinst?: string;
  /** Script that root runs before the files are removed. */
  prerm?: string;
}

/** Formats a file of an `ar` archive. */
function member(name: string, content: Buffer): Buffer {
  const head = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from(content.length % 2 === 1 ? '\n' : '')]);
}

export const controlOf = ({ name, version, depends }: DebPackage): string =>
  [
    `Package: ${name}`,
    `Version: ${version}`,
    'Architecture: all',
    'Maintainer: Nobody <nobody@example.org>',
    ...(depends === undefined ? [] : [`Depends: ${depends}`]),
    'Description: stands in for the package of this name',
  ].join('\n');

/** Returns the `.deb` file. */
export async function debOf(deb: DebPackage): Promise<Buffer> {
  const script = (content: string | undefined) =>
    content === undefined ? [] : [{ content: `#!/bin/sh\nset -e\n${content}\n`, executable: true as const }];
  const [control, data] = await Promise.all([
    tarOf({
      control: { content: `${controlOf(deb)}\n` },
      ...Object.fromEntries(script(deb.postinst).map((one) => ['postinst', one])),
      ...Object.fromEntries(script(deb.prerm).map((one) => ['prerm', one])),
    }),
    tarOf(deb.files),
  ]);
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    member('debian-binary', Buffer.from('2.0\n')),
    member('control.tar.gz', control),
    member('data.tar.gz', data),
  ]);
}
