import { ensureFile, type FoundFile, locateApp, type Step, sh } from '../../sdk/index.js';

/** Makes the user that an application runs as, unless it is there. */
export function accountSteps(name: string, found: { account: FoundFile; hasAccount: boolean }): Step[] {
  const { own, account, data } = locateApp(name);
  return [
    ...ensureFile(found.account, { content: `u ${own} - "${name}" ${data} /usr/sbin/nologin\n` }),
    ...(found.hasAccount ? [] : [{ title: `Create the account ${own}`, run: sh`systemd-sysusers ${account}`, undo: ':' }]),
  ];
}
