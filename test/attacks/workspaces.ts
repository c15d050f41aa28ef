import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { EXIT } from '../../core/exit-codes.js';
import { harm, inPlaces, PROGRAM } from '../strangers/harm.js';
import { observe } from '../strangers/observe.js';
import { makeWorkspace, TRAPS, type Trap } from '../strangers/random-workspace.js';

/** Commands that look at a repository. Only `fmt` writes, and that is the file that it is given. */
const COMMANDS = ['validate', 'graph', 'apply --check', 'fmt'];

/** The definition of a workspace, and more files that a trap is about. */
const FILES: Partial<Record<Trap, string[]>> = {
  imports: ['main.ts'],
  'link-parent': ['infra/c.yaml'],
  'link-environment': ['shop.yaml --env prod'],
};

/**
 * Has commands read repositories of strangers, one for each trap, and an honest one before and after. What they start,
 * read and write is observed by strace.
 *
 * @returns how many did something for the stranger
 */
export async function attackByWorkspaces(say: (text: string) => void): Promise<number> {
  let faults = 0;
  const judge = (title: string, why: readonly string[]) => {
    if (why.length === 0) return;
    faults += 1;
    say(`otherwise than it must: workspace: ${title}: ${why.join('; ')}`);
  };
  const play = (traps: readonly Trap[], files: readonly string[], mustWork = false) =>
    inPlaces(async (places) => {
      makeWorkspace(places, traps, files[0]?.split(' ')[0]);
      // Making it may have sprung the trap.
      spawnSync('rm', ['-f', places.mark]);
      for (const file of files)
        for (const command of COMMANDS) {
          const [name = '', ...options] = command.split(' ');
          const argv = [process.execPath, PROGRAM, name, ...file.split(' '), ...options];
          const seen = await observe(argv, places.folder, places.env, places.top);
          // There is no engine here: it comes as far as to ask for one.
          const wanted = name === 'apply' ? EXIT.notReached : EXIT.done;
          const ended = mustWork && seen.code !== wanted ? [`exit code ${seen.code}`] : [];
          judge(`${traps.join(', ') || 'an honest one'}: ${command} ${file}`, [...harm(seen, places), ...ended]);
        }
    });
  // A trap without effect would show nothing.
  await inPlaces(async ({ env, ...places }) => {
    makeWorkspace(places, ['embedded']);
    spawnSync('rm', ['-f', places.mark]);
    spawnSync('git', ['-C', `${places.folder}/app`, 'ls-files', '--others', '--exclude-standard'], { env });
    judge('Git itself runs the command of the trap', existsSync(places.mark) ? [] : ['it did not']);
  });
  await play([], ['shop.yaml'], true);
  for (const trap of TRAPS) await play([trap], FILES[trap] ?? ['shop.yaml']);
  await play([], ['shop.yaml'], true);
  say(`workspaces: ${TRAPS.length} attacks with ${COMMANDS.length} commands, ${faults} otherwise than they must`);
  return faults;
}
