import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addAccount, type createApiRequests } from './api-requests.js';
import { createRemoteHome } from './remote-home.js';

/** Platforms that the programs of a user take their machine for. */
const PLATFORMS = ['darwin', 'win32'] as const;

/** A module that is loaded before a program, as an option of Node. Windows has no POSIX users. */
function pretend(platform: (typeof PLATFORMS)[number]): string {
  const lines = [`Object.defineProperty(process,'platform',{value:'${platform}'})`];
  if (platform === 'win32') lines.push('process.getuid=process.geteuid=process.getgid=process.getegid=undefined');
  return `--import=data:text/javascript,${encodeURIComponent(lines.join(';'))}`;
}

type Requests = Pick<ReturnType<typeof createApiRequests>, 'well'> & { url: string; trust: string };

/** Does the daily work of a remote user by commands on each platform: from the context to the end of an infra. */
export async function playPlatforms({ well, url, trust }: Requests): Promise<void> {
  for (const platform of PLATFORMS) {
    const remote = await createRemoteHome({ NODE_OPTIONS: pretend(platform) });
    const { json, run } = remote;
    const { token } = await addAccount({ well }, `on-${platform}`, ['deployer']);
    expect(await run(['context', 'add', 'lab', '--server', url, '--ca', trust])).toMatchObject({ code: 0 });
    await json(['login', '--context', 'lab', '--token', '-'], { input: token });
    await json(['context', 'use', 'lab']);
    expect(await json(['whoami'])).toMatchObject({ account: `on-${platform}` });
    const file = join(remote.folder, 'web.yaml');
    await writeFile(file, `infra: on-${platform}\nprovider: demo\nservers: [{ name: web, taskservs: [nginx] }]\n`);
    await json(['validate', file]);
    await json(['secret', 'set', `${platform}-password`], { input: 'value' });
    expect(JSON.stringify(await json(['secret', 'list']))).toContain(`${platform}-password`);
    await json(['apply', file, '--check']);
    const applied = await json<{ operation: string }>(['apply', file, '--yes']);
    const followed = await run(['workflow', 'follow', applied.operation]);
    expect([followed.code, followed.code === 0 ? '' : followed]).toEqual([0, '']);
    expect(JSON.stringify(await json(['cluster', 'list']))).toContain(`on-${platform}`);
    await json(['delete', `on-${platform}`, '--yes', '--allow-destroy']);
    expect(await json(['down'], { code: 2 })).toMatchObject({ error: { code: 'needs-this-machine' } });
    await json(['logout']);
    await remote.remove();
  }
}
