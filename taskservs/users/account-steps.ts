import { NOTE_CHANGE, type Step, sh, splitPath, undoIfNoted } from '../../sdk/index.js';
import { type Account, MARK } from './accounts.js';
import { homeOf, type User } from './users-config.js';

export function createGroup(name: string): Step {
  return {
    title: `Create the group ${name}`,
    run: `${sh`if getent group ${name} >/dev/null; then exit 0; fi`}\n${NOTE_CHANGE}\n${sh`groupadd ${name}`}`,
    undo: undoIfNoted(sh`if getent group ${name} >/dev/null; then groupdel ${name}; fi`),
    changes: { groups: [name] },
  };
}

/** A home that an earlier account of the name left keeps its owner: the account gets the same number again. */
export function createAccount(user: User): Step {
  const home = homeOf(user);
  const groups = user.groups.length > 0 ? ['--groups', user.groups.join(',')] : [];
  return {
    title: `Create the user ${user.name}`,
    // useradd follows links on the way to the home, and gives what is there to the account.
    run: `${sh`if getent passwd ${user.name} >/dev/null; then exit 0; fi`}
${sh`enter_dir ${splitPath(home).folder} make`}
${sh`[ -z "$SHARED" ] || { refuse_path ${home} 'others can change a directory that leads there'; exit 1; }`}
cd /
${sh`options=(--create-home --home-dir ${home} --shell ${user.shell ?? '/bin/bash'} --comment ${MARK})`}
${sh`if getent group ${user.name} >/dev/null; then options+=(--gid ${user.name}); else options+=(--user-group); fi`}
${sh`former=$(stat -c %u ${home} 2>/dev/null || echo 0)`}
if [ "$former" -ge 1000 ] && ! getent passwd "$former" >/dev/null; then options+=(--uid "$former"); fi
${NOTE_CHANGE}
useradd "\${options[@]}" ${sh`${[...groups, user.name]}`}`,
    undo: undoIfNoted(sh`if getent passwd ${user.name} >/dev/null; then userdel ${user.name}; fi`),
    changes: { accounts: [user.name] },
  };
}

/** Adds the declared properties that an existing account lacks. Other properties stay as they are. */
export function changeAccount(user: User, account: Account): Step[] {
  const missing = user.groups.filter((group) => !account.groups.includes(group));
  const steps = changeHome(user, account);
  if (user.shell !== undefined && account.shell !== user.shell) {
    steps.push({
      title: `Set the shell of ${user.name} to ${user.shell}`,
      run: sh`usermod --shell ${user.shell} ${user.name}`,
      undo: sh`usermod --shell ${account.shell} ${user.name}`,
      changes: { accounts: [user.name] },
    });
  }
  if (missing.length > 0) {
    steps.push({
      title: `Add ${user.name} to ${missing.join(', ')}`,
      run: sh`usermod --append --groups ${missing.join(',')} ${user.name}`,
      undo: missing.map((group) => sh`gpasswd --delete ${user.name} ${group} || true`).join('\n'),
      changes: { accounts: [user.name] },
    });
  }
  return steps;
}

/** A home that is missing is made if the definition says it, or keys are to go there. One that exists keeps its owner and mode. */
function changeHome(user: User, account: Account): Step[] {
  const home = homeOf(user, account);
  const make = `${sh`enter_dir ${splitPath(home).folder} make`}
if [ ! -e ${sh`./${splitPath(home).name}`} ]; then
${sh`[ -z "$SHARED" ] || { refuse_path ${home} 'others can change a directory that leads there'; exit 1; }`}
${sh`mkdir -m 0700 ./${splitPath(home).name}; chown ${`${account.uid}:${account.gid}`} ./${splitPath(home).name}`}
fi`;
  if (account.home !== home) {
    return [
      {
        title: `Set the home directory of ${user.name} to ${home}`,
        run: `${make}\n${sh`usermod --home ${home} ${user.name}`}`,
        undo: sh`usermod --home ${account.home} ${user.name}`,
        changes: { accounts: [user.name] },
      },
    ];
  }
  const isUsed = account.ours || user.home !== undefined || user.authorizedKeys.length > 0;
  return isUsed && account.lacks?.includes('home')
    ? [{ title: `Create the home directory of ${user.name}`, run: make, undo: ':' }]
    : [];
}

/** Deletes the account; its home directory stays, and is its own again when the account comes back. */
export function deleteAccount({ name, uid, gid, home, shell, ours, groups }: Account): Step {
  const comment = ours ? MARK : '';
  const others = groups.filter((group) => group !== name).join(',');
  return {
    title: `Delete the user ${name}, keep its home directory`,
    run: `${sh`getent passwd ${name} >/dev/null || exit 0`}\n${NOTE_CHANGE}\n${sh`userdel ${name}`}`,
    undo: undoIfNoted(sh`getent group ${gid} >/dev/null || groupadd --gid ${gid} ${name}
getent passwd ${name} >/dev/null || useradd --uid ${uid} --gid ${gid} --home-dir ${home} --no-create-home --shell ${shell} --comment ${comment} --groups ${others} ${name}`),
    // With its own group, which goes along.
    changes: { accounts: [name] },
  };
}
