import { newHomePath } from '../core/host/facts.js';
import type { Placed } from './services/settle-services.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';

/** What two taskservs of a server want of the same file or package, where one of them says that it is for it alone. */
export function checkExclusive(server: string, placed: readonly Placed[], findings: Findings): void {
  const all = placed.filter(({ spec }) => spec.config !== undefined);
  const told = new Set<string>();
  for (const { taskserv, spec, path } of all) {
    const { files = [], withoutPackages = [] } = taskserv.exclusive?.(spec.config) ?? {};
    if (files.length === 0 && withoutPackages.length === 0) continue;
    const others = all.filter((other) => other.taskserv !== taskserv);
    const byFile = holders(others, 'file');
    const byPackage = holders(others, 'package');
    for (const one of files) {
      const holder = byFile.get(one.path);
      if (holder === undefined) continue;
      // Both may say that it is for them alone, and one place may say several files.
      const place = JSON.stringify([...path, one.at, holder]);
      if (told.has(place) || told.has(`${holder} ${taskserv.name}`)) continue;
      told.add(place).add(`${taskserv.name} ${holder}`);
      const message = `${one.path} is a file of the taskserv "${holder}", which "${server}" has as well`;
      findings.value([...path, 'config', ...one.at], message, one.suggestion ?? `say it in the configuration of ${holder}`);
    }
    for (const one of withoutPackages) {
      const holder = byPackage.get(one.name);
      if (holder === undefined) continue;
      const message = `the package ${one.name} is to be absent, and the taskserv "${holder}" of "${server}" needs it`;
      findings.value([...path, 'config', ...one.at], message, `take one of them out of the definition`);
    }
  }
}

/** Which taskserv asks about each file or package, by its path or name. */
function holders(placed: readonly Placed[], kind: 'file' | 'package'): Map<string, string> {
  const found = new Map<string, string>();
  for (const { taskserv, spec } of placed) {
    for (const fact of Object.values(taskserv.facts(spec.config, spec.version)) as {
      kind: string;
      path?: string;
      name?: string;
    }[]) {
      if (fact.kind === kind) found.set(newHomePath(fact.path ?? fact.name ?? ''), taskserv.name);
    }
  }
  return found;
}

/** Names of taskservs that a configuration says it comes after, and that there are not. */
export function checkFollowed(placed: readonly Placed[], known: readonly string[], findings: Findings): void {
  const told = new Set<string>();
  for (const { taskserv, spec, path } of placed) {
    for (const name of (spec.config !== undefined && taskserv.follows?.(spec.config)) || []) {
      const key = JSON.stringify([path, name]);
      if (known.includes(name) || told.has(key)) continue;
      told.add(key);
      findings.value([...path, 'config', 'after'], `unknown taskserv "${name}"`, didYouMean(name, known));
    }
  }
}
