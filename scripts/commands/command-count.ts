/**
 * `npm run command-count`: counts the distinct commands. A command is identified by its calls and its renderers. Its
 * calls are methods of the platform, or functions of other rooms if it calls no method. Commands with the same calls
 * and renderers count once; aliases do not count.
 */
import { fileURLToPath } from 'node:url';
import { commandModules, declarationReader, type Read } from './declarations.js';

export interface CommandCount {
  /** Number of names in the command list. */
  names: number;
  aliases: number;
  pairs: number;
  /** Commands by their pair of calls and renderers. */
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
    // The first name of a module is the command; the others are aliases.
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
      // Renderers call no methods.
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
