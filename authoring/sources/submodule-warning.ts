import { clipText } from '../../core/text.js';

/** Maximum number of submodules that a warning lists. */
const NAMED = 5;

/**
 * Returns the warning about submodules, which is shown before a release without their files is deployed.
 *
 * @returns the message and a suggestion; undefined if there are no submodules
 */
export function submoduleWarning(url: string, paths: readonly string[]): [message: string, suggestion: string] | undefined {
  if (paths.length === 0) return undefined;
  const names = paths.slice(0, NAMED).map((path) => clipText(path, 100));
  const rest = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : '';
  const [folders, they] =
    paths.length === 1
      ? ['the folder', 'is empty in the release: it is a submodule']
      : ['the folders', 'are empty in the release: they are submodules'];
  return [
    `${folders} ${names.join(', ')}${rest} ${they} of ${url}, and submodules are not fetched`,
    'if the application needs the files, clone with --recurse-submodules and deploy the checkout by source: { directory: PATH }; otherwise list the folder as export-ignore in .gitattributes',
  ];
}
