import {
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  FoundFile,
  type FoundPackage,
  inputError,
  type Step,
  sh,
  waitFile,
} from '../../sdk/index.js';
import type { Cluster } from './clusters.js';
import { type Places, placesOf } from './places.js';
import { CHECK_BOTH, COPY, head, MAKE, OPENED, preflight, UNCOPY, UNMAKE, UNOPEN } from './upgrade-scripts.js';

const OWNER = 'postgres:postgres';

export interface Upgrade {
  from: Cluster;
  to: Places;
  port: number;
  package: FoundPackage;
  /** The steps that write the settings of the new version. */
  settings: Step[];
  /** The step that tries them out. */
  check: Step;
}

/**
 * The steps that bring a cluster to a newer version, up to where it serves. The data is copied: until the last step the
 * former server is as it was, and an undo starts it again.
 */
export function upgradeSteps({ from, to, port, package: wanted, settings, check }: Upgrade): Step[] {
  const old = placesOf(from.version);
  const script = (text: string) => `${head(old, to, port)}\n${text}`;
  const missing = [...(from.package === undefined ? [old.package] : []), ...(wanted.version === undefined ? [wanted.name] : [])];
  const own = `of postgres ${to.version}`;
  return [
    { title: `Check that postgres ${from.version} can go to ${to.version}`, run: script(preflight(missing)), undo: ':' },
    ...ensurePackage({ name: old.package, version: from.package }),
    ...(from.active ? [] : [serviceStep(`Start ${old.unit}`, old, 'running', from.enabled)]),
    ...ensurePackage(wanted),
    { title: `Make an empty cluster ${own}, beside the one of ${from.version}`, run: script(MAKE), undo: script(UNMAKE) },
    ...settings,
    check,
    { title: `Check that postgres ${to.version} can take over what ${from.version} holds`, run: script(CHECK_BOTH), undo: ':' },
    serviceStep(`Stop ${old.unit}: nobody is served until ${to.version} starts`, old, 'stopped', false),
    startConf(`Keep ${old.unit} from starting at boot; its data stays in ${old.data}`, old, 'manual'),
    {
      title: `Copy the data of postgres ${from.version} to ${to.version}, and compare what is inside`,
      run: script(COPY),
      undo: script(UNCOPY),
    },
    startConf(`Let ${to.unit} start at boot`, to, 'auto'),
    serviceStep(`Start ${to.unit}`, to, 'running', true),
    {
      title: `Note that postgres ${to.version} serves: what is written from here on keeps it from being rolled back`,
      run: script(OPENED),
      undo: script(UNOPEN),
    },
  ];
}

/** With what it reads, so that an undo leaves it as one that was started by us. */
const serviceStep = (title: string, { unit, reads }: Places, state: 'running' | 'stopped', enabled: boolean): Step => ({
  title,
  service: { name: unit, state, enabled, change: 'restart', reads },
});

const startConf = (title: string, at: Places, content: 'auto' | 'manual'): Step => ({
  title,
  file: { path: at.startConf, content: `${content}\n`, owner: OWNER },
});

/** Former clusters from which the present one was made, and which are no longer used. */
export const listKeptClusters = (clusters: readonly Cluster[], version: string): Cluster[] => {
  const from = clusters.find((one) => one.version === version && one.used)?.from;
  return clusters.filter((one) => one.version === from && !one.active);
};

/** Takes away what an upgrade kept, where the configuration says so. */
export function removeFormer(kept: readonly Cluster[]): Step[] {
  return kept.flatMap(({ version, package: installed, held, waits }): Step[] => {
    const { package: name, data, unit } = placesOf(version);
    return [
      {
        title: `Remove the former cluster of postgres ${version}, with its data in ${data}`,
        run: sh`pg_dropcluster ${version} main`,
        irreversible: true,
      },
      ...ensureNoPackage({ name, version: installed, held }),
      ...ensureNoFile(new FoundFile(waitFile(unit), { exists: waits })),
    ];
  });
}

/** @throws inputError `bad-definition` where an upgrade is to keep nothing to go back to */
export function refuseWithoutFormer(from: Cluster, to: string, host: string): never {
  throw inputError({
    code: 'bad-definition',
    what: `upgrade postgres from ${from.version} to ${to}`,
    on: host,
    why: '`keepFormer: false` would remove the data for a roll-back',
    hint: 'omit `keepFormer`, upgrade, check the result, and then set `keepFormer: false`',
  });
}
