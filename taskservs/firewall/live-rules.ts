/** File that the unit nftables loads at boot. */
export const CONF = '/etc/nftables.conf';

/** Whether the kernel filters by what is in the file: `changed` when either was changed since it was loaded. */
export type LiveState = 'loaded' | 'changed' | 'absent';

const FOLDER = '/var/lib/provisioning-firewall';
const TABLE = 'inet provisioning';

/**
 * Hash of the live rules and of the file, comparable to the one recorded when the file was loaded. Protocols are
 * numbers, because a package may add names of protocols later.
 */
const HASH = `{ nft -s -n list table ${TABLE}; cat ${CONF}; } 2>/dev/null | sha256sum`;

export const LIVE_STATE = `if ! nft list table ${TABLE} >/dev/null 2>&1; then echo absent
elif ${HASH} | cmp -s - ${FOLDER}/loaded; then echo loaded
else echo changed
fi`;

export function readLiveState({ stdout }: { stdout: string }): LiveState {
  const state = stdout.trim();
  return state === 'loaded' || state === 'changed' ? state : 'absent';
}

/** A second attempt, after an interruption, must not take its own rules for the former ones. */
const SAVE = `install -d -m 0700 ${FOLDER}
if [ ! -e ${FOLDER}/changing ]; then
  { nft list table ${TABLE} 2>/dev/null || true; } > ${FOLDER}/before.nft
  rm -f ${FOLDER}/before.loaded
  if [ -e ${FOLDER}/loaded ]; then cp ${FOLDER}/loaded ${FOLDER}/before.loaded; fi
  touch ${FOLDER}/changing
  sync -f ${FOLDER}
fi`;

/** Keeps the rules that are live, then loads those of the file, in one transaction. */
export const APPLY = `${SAVE}
systemctl daemon-reload
nft -f ${CONF}
${HASH} > ${FOLDER}/loaded
rm -f ${FOLDER}/changing`;

/** Keeps the rules that are live, then takes our table away. */
export const UNLOAD = `${SAVE}
nft delete table ${TABLE}
rm -f ${FOLDER}/loaded ${FOLDER}/changing`;

/** Brings the kept rules back; safe to repeat. */
export const RESTORE = `if [ -e ${FOLDER}/before.nft ]; then
  { printf 'add table ${TABLE}\\ndelete table ${TABLE}\\n'; cat ${FOLDER}/before.nft; } | nft -f -
  rm -f ${FOLDER}/loaded ${FOLDER}/changing
  if [ -e ${FOLDER}/before.loaded ]; then cp ${FOLDER}/before.loaded ${FOLDER}/loaded; fi
fi`;
