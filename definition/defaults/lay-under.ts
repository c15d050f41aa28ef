import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import { type DefinitionSettings, describeSetting } from './definition-settings.js';

/** A definition with what settings say where it says nothing itself. */
export interface LaidUnder {
  value: Record<string, unknown>;
  /** The setting that a value is from which the file does not have, by its path. */
  from(path: Path): string | undefined;
}

/** Keys of the file, and the settings that stand in for them. */
const TOP: Readonly<Record<string, string>> = {
  provider: 'servers.defaultProvider',
  region: 'servers.defaultRegion',
  protect: 'servers.protect',
};
const SERVER: Readonly<Record<string, string>> = { plan: 'servers.defaultPlan', image: 'servers.defaultImage' };
const UPDATE: Readonly<Record<string, string>> = {
  strategy: 'rolling.strategy',
  batch: 'rolling.batch',
  maxUnavailable: 'rolling.maxUnavailable',
  pauseOnFailure: 'rolling.pauseOnFailure',
};

/** Fills omitted fields of a definition from settings. Declared fields stay, even wrong ones. */
export function layUnder(file: Record<string, unknown>, settings: DefinitionSettings): LaidUnder {
  const filled = new Map<string, string>();
  const under = (own: Record<string, unknown>, names: Readonly<Record<string, string>>, path: Path) => {
    const value = { ...own };
    for (const [key, name] of Object.entries(names)) {
      if (value[key] !== undefined || !settings.said.has(name)) continue;
      value[key] = settings.values.get(name);
      filled.set([...path, key].join('/'), name);
    }
    return value;
  };
  const value = under(file, TOP, []);
  const update = file.update ?? {};
  if (isRecord(update)) {
    const all = under(update, UPDATE, ['update']);
    if (Object.keys(all).length > 0) value.update = all;
  }
  if (Array.isArray(file.servers)) {
    // A machine that exists already has the plan and image that it has.
    value.servers = file.servers.map((one: unknown, index) =>
      isRecord(one) && one.host === undefined ? under(one, SERVER, ['servers', index]) : one,
    );
  }
  return {
    value,
    from(path) {
      for (let length = path.length; length > 0; length--) {
        const name = filled.get(path.slice(0, length).join('/'));
        if (name !== undefined) return describeSetting(settings, name);
      }
      return undefined;
    },
  };
}
