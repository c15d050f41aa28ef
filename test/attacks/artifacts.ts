import { deploy, everything } from '../support/artifact-victim.js';
import { HONEST, HOSTILE } from '../support/hostile-archives.js';
import { startShellHost } from '../support/shell-host.js';

/**
 * Deploys each hostile archive to a host, as an application's repository or its building host would deliver it. Honest
 * archives come before and after.
 *
 * @returns the number of archives that were not rejected with their error, or left something on the host
 */
export async function attackByArtifacts(say: (text: string) => void): Promise<number> {
  const host = await startShellHost();
  let faults = 0;
  const judge = (title: string, right: boolean) => {
    if (right) return;
    faults += 1;
    say(`otherwise than it must: artifact: ${title}`);
  };
  try {
    judge('an honest archive', (await deploy(host, HONEST(), '1.0')).how === 'ok');
    const before = await everything(host);
    for (const { title, archive, said: why } of HOSTILE) {
      const { how, said, undo } = await deploy(host, archive(), 'evil');
      await undo();
      judge(title, how === 'failed' && why.test(said) && (await everything(host)) === before);
    }
    judge('a second honest archive', (await deploy(host, HONEST(), '1.1')).how === 'ok');
  } finally {
    await host.remove();
  }
  say(`artifacts: ${HOSTILE.length} attacks, ${faults} otherwise than they must`);
  return faults;
}
