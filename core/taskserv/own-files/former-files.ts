import { fingerprint } from '../../encoding/hash.js';
import { splitPath } from '../../host/host-paths.js';
import { sh } from '../../host/shell.js';
import type { Step } from '../../host/step.js';

/** Files that were replaced, by keys of their paths. @param state a folder that only root reads */
export const formerIn = (state: string): string => `${state}/former`;

const listed = (paths: readonly string[]): string =>
  paths.length > 1 ? `${paths[0]} and ${paths.length - 1} more` : (paths[0] ?? '');

/** Keeps what is at these paths and was not written here, so that it returns when they are no longer wanted. */
export function keep(state: string, paths: readonly string[]): Step[] {
  const kept = formerIn(state);
  if (paths.length === 0) return [];
  const each = paths.map((path) => {
    const { folder, name } = splitPath(path);
    return sh`( enter_dir ${folder} && save_former ${name} ${`${kept}/${fingerprint(path)}`} )`;
  });
  return [
    {
      title: `Keep what was there before: ${listed(paths)}`,
      run: [sh`install -d -m 0700 ${kept}`, ...each].join('\n'),
      undo: paths.map((path) => `rm -f -- ${kept}/${fingerprint(path)}.*`).join('\n'),
    },
  ];
}

/**
 * Removes files and empty folders of a manifest, and restores the former files.
 *
 * @param former keys of the paths that had a file before
 */
export function drop(state: string, lines: readonly string[], former: readonly string[]): Step[] {
  const paths = lines.filter((line) => !line.endsWith('/'));
  const folders = lines.filter((line) => line.endsWith('/')).map((line) => line.slice(0, -1));
  return [
    ...paths.flatMap((path): Step[] => [
      { title: `Remove ${path}`, absent: { path } },
      ...(former.includes(fingerprint(path)) ? [restore(state, path)] : []),
    ]),
    ...(folders.length > 0 ? [removeEmpty(folders)] : []),
  ];
}

function restore(state: string, path: string): Step {
  const { folder, name } = splitPath(path);
  const key = `${formerIn(state)}/${fingerprint(path)}`;
  return {
    title: `Restore what was at ${path} before`,
    run: sh`enter_dir ${folder} make
enter_stage
cp -Pp -- ${`${key}.file`} new
mv -fT -- new ${`../${name}`}
leave_stage
mv -f -- ${`${key}.file`} ${`${key}.restored`}
rm -f -- ${`${key}.saved`}`,
    undo: sh`[ ! -e ${`${key}.restored`} ] || { mv -f -- ${`${key}.restored`} ${`${key}.file`}; touch ${`${key}.saved`}; }
enter_dir ${folder} || exit 0
rm -f -- ${`./${name}`}`,
  };
}

/** The inner ones first. */
const removeEmpty = (folders: readonly string[]): Step => ({
  title: `Remove the folders that are empty: ${listed(folders)}`,
  run: [...folders]
    .sort()
    .reverse()
    .map((path) => {
      const { folder, name } = splitPath(path);
      return sh`( enter_dir ${folder} || exit 0; rmdir --ignore-fail-on-non-empty -- ${`./${name}`} 2>/dev/null || true )`;
    })
    .join('\n'),
  undo: [...folders]
    .sort()
    .map((path) => sh`( enter_dir ${path} make )`)
    .join('\n'),
});
