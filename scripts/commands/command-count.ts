/**
 * `npm run command-count`: how many commands there are that do something of their own. A command is what it asks and
 * how it shows the answer: the methods of the platform that it calls (without one, the functions of other rooms) and
 * its renderers. Two with the same are one; an alias is none.
 */
import { fileURLToPath } from 'node:url';
import { commandModules, declarationReader, type Read } from './declarations.js';

export interface CommandCount {
  /** Names in the list of commands. */
  names: number;
  aliases: number;
  pairs: number;
  /** Commands by their pair. */
  byPair: ReadonlyMap<string, readonly string[]>;
}

/** Counts the commands of this repository, from their sources. */
export function commandCount(): CommandCount {
  const read = declarationReader();
  const modules = commandModules();
  const byPair = new Map<string, string[]>();
  const seen = new Set<string>();
  let aliases = 0;
  for (const { name, path } of modules) {
    // The first name of a module is its own; the others are aliases.
    if (seen.has(path)) {
      aliases++;
      continue;
    }
    seen.add(path);
    const pair = pairOf(path, read);
    byPair.set(pair, [...(byPair.get(pair) ?? []), name]);
  }
  return { names: modules.length, aliases, pairs: byPair.size, byPair };
}

function pairOf(command: string, read: Read): string {
  const methods = new Set<string>();
  const others = new Set<string>();
  const renderers = new Set<string>();
  const open = [`${command}#command`];
  const known = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [file = '', name = ''] = at.split('#');
    const declared = read(file).get(name);
    if (!declared) continue;
    for (const method of declared.methods) methods.add(method);
    if (declared.writes && file === command) renderers.add(file);
    for (const target of declared.names) {
      const [where = ''] = target.split('#');
      if (where.startsWith('cli/render/')) renderers.add(target);
      // What renders asks nothing.
      if (!where.startsWith('cli/')) others.add(target);
      else if (!where.startsWith('cli/render/') && !known.has(target)) open.push(target);
      known.add(target);
    }
  }
  renderers.delete('cli/render/document.ts#writeDocument');
  const asked = methods.size > 0 ? methods : others;
  return `${[...asked].sort().join(' ')} | ${[...renderers].sort().join(' ')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { names, aliases, pairs, byPair } = commandCount();
  const shared = [...byPair].filter(([, commands]) => commands.length > 1);
  process.stdout.write(
    [
      `${pairs} commands by method and renderer; ${names} names, ${aliases} of them aliases`,
      ...shared.map(([, commands]) => `one: ${commands.join(', ')}`),
      '',
    ].join('\n'),
  );
}
