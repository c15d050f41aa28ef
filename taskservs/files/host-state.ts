import { type Fact, type FoundFacts, type OwnFilesFacts, type Step, sh } from '../../sdk/index.js';
import { type Entry, type FilesConfig, pathsOf } from './files-config.js';
import { TAKEN } from './paths.js';
import { planFiles } from './wanted-files.js';

/** State of an entry's files when units last loaded them, and these units. */
export interface TakenFiles {
  hash: string;
  units: Use[];
}

interface Use {
  how: 'restart' | 'reload';
  unit: string;
}

/** Facts about the files of a host. */
export type FilesFacts = OwnFilesFacts & {
  /** By entry, what its files were when they were last taken in, and by which units. */
  taken: Fact<Record<string, TakenFiles>>;
  /** By entry, a hash of its files as they are. */
  now: Fact<Record<string, string>>;
  /** By path, the numbers of the owner and the group: `1000:1000`. */
  ids: Fact<Record<string, string>>;
};

/** Reads what `grep -H` printed of all notes: `NAME:HASH`, then `NAME:restart UNIT`. */
export function parseTaken(printed: string): Record<string, TakenFiles> {
  const found: Record<string, TakenFiles> = {};
  for (const line of printed.split('\n').filter(Boolean)) {
    const [name = '', text = ''] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)];
    const [how, unit] = text.split(' ');
    const known = found[name];
    if (!known) found[name] = { hash: text, units: [] };
    else if (unit !== undefined && (how === 'restart' || how === 'reload')) known.units.push({ how, unit });
  }
  return found;
}

const usesOf = ({ restarts, reloads }: Entry): Use[] => [
  ...restarts.map((unit) => ({ how: 'restart' as const, unit })),
  ...reloads.map((unit) => ({ how: 'reload' as const, unit })),
];

/** A unit that does not run takes files in when it starts. */
const useScript = ({ how, unit }: Use): string =>
  sh`if systemctl is-active -q ${unit}; then systemctl ${how === 'restart' ? 'restart' : 'reload-or-restart'} ${unit} || { journalctl -q -n 20 -o cat --no-pager -u ${unit}; exit 1; }; fi`;

const noteScript = (name: string, entry: Pick<Entry, 'path' | 'tree'>, uses: readonly Use[]): string =>
  sh`{ timeout 5 sha256sum -- ${pathsOf(entry)} | sha256sum | cut -c 1-64; printf '%s\n' ${uses.map(({ how, unit }) => `${how} ${unit}`)}; } >${`${TAKEN}/${name}`}`;

/** A restart takes in what a reload would. */
function eachOnce(uses: readonly Use[]): Use[] {
  const byUnit = new Map<string, Use>();
  for (const use of uses) if (use.how === 'restart' || !byUnit.has(use.unit)) byUnit.set(use.unit, use);
  return [...byUnit.values()];
}

/**
 * Adds to the work the checks of written files and the units that load them. A file that changed since it was last
 * loaded is loaded again, no matter who changed it.
 */
export function takeIn({ files }: FilesConfig, found: FoundFacts<FilesFacts>, work: Step[]): Step[] {
  const touched = new Set(work.flatMap((step) => ('file' in step ? [step.file.path] : [])));
  const stale = Object.entries(files).filter(([name, entry]) => {
    if (!entry.validate && usesOf(entry).length === 0) return false;
    return found.taken[name]?.hash !== found.now[name] || planFiles(entry).some(({ path }) => touched.has(path));
  });
  const dropped = Object.entries(found.taken).filter(([name]) => {
    const entry = files[name];
    return !entry || (!entry.validate && usesOf(entry).length === 0);
  });
  const uses = eachOnce([...stale.flatMap(([, entry]) => usesOf(entry)), ...dropped.flatMap(([, { units }]) => units)]);
  if (stale.length === 0 && dropped.length === 0) return work;
  const noted = [...stale.map(([name]) => name), ...dropped.map(([name]) => name)];
  const restored = noted.map((name) => {
    const taken = found.taken[name];
    const entry = files[name];
    return taken && entry ? noteScript(name, entry, taken.units) : sh`rm -f -- ${`${TAKEN}/${name}`}`;
  });
  const names = uses.map(({ unit }) => unit).join(', ');
  return [
    {
      // Steps are undone from the last to the first: this one when the former files are there again.
      title: uses.length > 0 ? `On a roll-back, have ${names} take in the former files` : 'On a roll-back, note what is in force',
      run: sh`install -d -m 0700 ${TAKEN}`,
      undo: [...uses.map(useScript), ...restored].join('\n'),
    },
    ...work,
    ...stale.flatMap(([name, entry]): Step[] =>
      entry.validate ? [{ title: `Check ${name}`, run: entry.validate, env: { FILE: entry.path }, undo: ':' }] : [],
    ),
    ...uses.map(
      (use): Step => ({
        title: `${use.how === 'restart' ? 'Restart' : 'Reload'} ${use.unit}, if it runs`,
        run: useScript(use),
        undo: ': it takes in the former files once they are there',
      }),
    ),
    {
      title: 'Note what is in force',
      run: [
        ...stale.map(([name, entry]) => noteScript(name, entry, usesOf(entry))),
        ...dropped.map(([name]) => sh`rm -f -- ${`${TAKEN}/${name}`}`),
      ].join('\n'),
      undo: ':',
    },
  ];
}
