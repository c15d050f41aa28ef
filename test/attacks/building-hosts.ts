import { everything } from '../support/artifact-victim.js';
import { HONEST, HOSTILE } from '../support/hostile-archives.js';
import { bringBuild, honestBuild, LIES } from '../support/lying-builder.js';
import { startShellHost } from '../support/shell-host.js';

/**
 * Transfers builds to another host from a host whose root misreports them. Honest builds come before and after.
 *
 * @returns the number of builds that were not rejected with their error, or left something on the host
 */
export async function attackByBuildingHosts(say: (text: string) => void): Promise<number> {
  const [host, builder] = await Promise.all([startShellHost(), startShellHost()]);
  let faults = 0;
  const judge = (title: string, right: boolean) => {
    if (right) return;
    faults += 1;
    say(`otherwise than it must: building host: ${title}`);
  };
  try {
    const built = honestBuild();
    judge('an honest build', (await bringBuild(builder, host, built)).how === 'ok');
    const before = await everything(host);
    const attacks = [
      ...LIES.map(({ title, script, said }) => ({ title, archive: HONEST, script, said })),
      ...HOSTILE.map(({ title, archive, said }) => ({ title, archive, script: ':', said })),
    ];
    for (const { title, archive, script, said: why } of attacks) {
      const { how, said } = await bringBuild(builder, host, archive(), script);
      judge(title, how !== 'ok' && why.test(said) && (await everything(host)) === before);
    }
    judge('a second honest build', (await bringBuild(builder, host, built)).how === 'ok');
    say(`building hosts: ${attacks.length} attacks, ${faults} otherwise than they must`);
  } finally {
    await Promise.all([host.remove(), builder.remove()]);
  }
  return faults;
}
