import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { EXIT } from '../../core/exit-codes.js';
import { harm, inPlaces, PROGRAM } from '../strangers/harm.js';
import { observe } from '../strangers/observe.js';
import { makeWorkspace, TRAPS, type Trap } from '../strangers/random-workspace.js';

/** Commands that read a repository. Only `fmt` writes, and only its given file. */
const COMMANDS = ['validate', 'graph', 'apply --check', 'fmt'];

/** The definition of a workspace, and further files of a trap. */
const FILES: Partial<Record<Trap, string[]>> = {
  imports: ['main.ts'],
  'link-parent': ['infra/c.yaml'],
  'link-environment': ['shop.yaml --env prod'],
};

/**
 * Runs commands on repositories of strangers, one for each trap, with an honest one before and after. strace observes
 * the processes, reads and writes of the commands.
 *
 * @returns the number of repositories that made a command act for the stranger
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
      // The creation may have sprung the trap.
      spawnSync('rm', ['-f', places.mark]);
      for (const file of files)
        for (const command of COMMANDS) {
          const [name = '', ...options] = command.split(' ');
          const argv = [process.execPath, PROGRAM, name, ...file.split(' '), ...options];
          const seen = await observe(argv, places.folder, places.env, places.top);
          // Without an engine here, `apply` fails when it contacts the engine.
          const wanted = name === 'apply' ? EXIT.notReached : EXIT.done;
          const ended = mustWork && seen.code !== wanted ? [`exit code ${seen.code}`] : [];
          judge(`${traps.join(', ') || 'an honest one'}: ${command} ${file}`, [...harm(seen, places), ...ended]);
        }
    });
  // A trap without effect would prove nothing.
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
