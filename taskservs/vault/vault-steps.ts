import { hostPart, quote, type SecretRef, type Step } from '../../sdk/index.js';
import { ADMINISTER } from './vault-administer.js';
import { FIND_ID } from './vault-ask.js';
import type { VaultConfig } from './vault-config.js';
import { DATA } from './vault-places.js';

/** A member, and those that it asks. */
export interface Place {
  config: VaultConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server. */
  server: string;
  /** Addresses of all other members. Who serves is found out by the step: its text is the same for each look. */
  others: readonly string[];
}

/** Bash with the names of a place: `OTHERS` and `ID`, and the functions that ask. */
const around = ({ config, others }: Pick<Place, 'config' | 'others'>): string => `${ADMINISTER}
OTHERS=(${others.map((other) => quote(`${hostPart(other)}:${config.port}`)).join(' ')})
${FIND_ID}`;

const tokenOf = ({ token }: { token?: SecretRef | undefined }) => (token ? { env: { VAULT_TOKEN: [token] } } : {});

/** Bash that runs the rest as the user of vault. */
const AS_USER = `(cd / && runuser -u vault -- bash -c`;

/** Bash that gives the data of a member an id, which no other machine of its name has. */
const BEGIN = `${AS_USER} 'set -euo pipefail
umask 077
mkdir -p "$1"
drawn=$(od -An -N4 -tx1 /dev/urandom | tr -d " \\n")
printf "%s-%s" "$2" "$drawn" >"$1/node-id.new"
mv -f "$1/node-id.new" "$1/node-id"' bash ${DATA}`;

const UNDO_BEGIN = `if id -u vault >/dev/null 2>&1; then
  ${AS_USER} '[ -e "$1/vault.db" ] || rm -f "$1/node-id"' bash ${DATA})
fi`;

/** A member of a cluster that is not initialized yet. A person does that once, on one member. */
export const beginStep = (place: Place): Step => ({
  title: `Give ${place.server} an id in the vault cluster ${place.cluster}`,
  run: `${around(place)}
[ -z "$ID" ] || exit 0
${BEGIN} ${quote(place.server)})`,
  undo: UNDO_BEGIN,
});

/**
 * Prepares a member that is to join. Former machines of its server leave first: a new one has their address, and none of what
 * they had acknowledged. The members let it in once a person unseals it.
 */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the vault cluster ${place.cluster}`,
  run: `${around(place)}
[ -z "$ID" ] || exit 0
administer admit ${quote(place.server)} none "\${OTHERS[@]}"
${BEGIN} ${quote(place.server)})`,
  ...tokenOf(place.config),
  undo: UNDO_BEGIN,
});

/** Looks once more before a restart whether the others can do without a member: who is behind may have changed. */
export const spareStep = (place: Place): Step => ({
  title: `Check that the vault cluster ${place.cluster} can spare ${place.server}`,
  run: `systemctl is-active -q vault || exit 0
${around(place)}
if [ -z "$ID" ] || ! find_ends; then exit 0; fi
administer spare "$AT" "$NAME" "$ID"`,
  ...tokenOf(place.config),
  undo: ':',
  keepsServing: true,
});

/** Gives the lead to another member before a restart. It looks who leads. */
export const handOverStep = (place: Place): Step => ({
  title: `Hand over the lead of the vault cluster ${place.cluster}`,
  run: `systemctl is-active -q vault || exit 0
${around(place)}
find_ends || exit 0
administer handover "$AT" "$NAME"`,
  ...tokenOf(place.config),
  undo: ':',
  keepsServing: true,
});

/** Waits until a person has unsealed a member, and until it has all of the data: only then the next one may be worked on. */
export const readyStep = (place: Place): Step => ({
  title: `Wait until a person has unsealed ${place.server} (vault operator unseal) and it serves in the vault cluster ${place.cluster}`,
  run: `${around(place)}
find_ends
if [ -z "$ID" ]; then echo 'it has no data'; exit 1; fi
administer ready "$AT" "$NAME" "$ID" ${place.config.unsealWithin}`,
  ...tokenOf(place.config),
  undo: ':',
  keepsServing: true,
});

/** Lets the members take lost ones out of the list, as long as all of the definition stay. */
export const tidyStep = (place: Place, least: number): Step => ({
  title: `Let the vault cluster ${place.cluster} take out members that are lost`,
  run: `${around(place)}
find_ends
administer tidy "$AT" "$NAME" ${least}`,
  ...tokenOf(place.config),
  undo: ':',
  keepsServing: true,
});

/** Keeps data that is not of the cluster any more beside the new one. It asks the others once more. */
export const keepDataStep = (place: Place, id: string): Step => {
  const kept = `/opt/vault/former-${id}`;
  return {
    title: `Keep the former data of vault, which is not of the cluster ${place.cluster}, as ${kept}`,
    run: `${around(place)}
[ "$ID" = ${quote(id)} ] || exit 0
said=$(administer listed "$ID" "\${OTHERS[@]}")
if [ "$said" != gone ]; then echo 'the others know it as a member: apply again'; exit 1; fi
systemctl stop vault
${AS_USER} 'set -eu
mv -T --backup=numbered "$1" "$2"
mkdir -m 0700 "$1"' bash ${DATA} ${quote(kept)})`,
    ...tokenOf(place.config),
    undo: `${AS_USER} 'set -eu
if [ -e "$2" ] && [ ! -e "$1/vault.db" ]; then
  rm -f "$1/node-id"
  rmdir "$1"
  mv -T "$2" "$1"
fi' bash ${DATA} ${quote(kept)})`,
  };
};

/** Takes a member out, on another one. It may have gone for good. */
export const leaveStep = ({ config, cluster }: Pick<Place, 'config' | 'cluster'>, leaving: string): Step => ({
  title: `Remove ${leaving} from the vault cluster ${cluster}`,
  run: `${around({ config, others: [] })}
find_ends
administer remove "$AT" "$NAME" ${quote(leaving)}`,
  ...tokenOf(config),
  irreversible: true,
});
