import type { Proofs } from '../proof.js';

const account = (name: string) => ({ name, password: { generate: 'password' } });

export const storage: Proofs = {
  samba: {
    config: {
      accounts: [account('ann'), account('bob')],
      shares: [
        { name: 'documents', path: '/srv/documents' },
        { name: 'private', path: '/srv/private', accounts: ['ann'] },
      ],
    },
    // Only the platform knows generated passwords, but a hash is enough to log in.
    works: `hash() { pdbedit -Lw "$1" | cut -d: -f4; }
as() { smbclient "//$(hostname)/$2" -U "$1" --pw-nt-hash "$(hash "$1")" -c "$3" 2>&1 || true; }
echo hello >/tmp/note; as ann documents 'put /tmp/note note'
as bob documents 'get note /tmp/read; mkdir folder'; grep -c hello /tmp/read
[ "$(stat -c '%U %G' /srv/documents/folder)" = 'bob sambashare' ]
as ann private 'put /tmp/note note'
as bob private ls | grep -c NT_STATUS_ACCESS_DENIED
refused() { { smbclient "//$(hostname)/documents" -c ls "$@" 2>&1 || true; } | grep -c "$why"; }
why=NT_STATUS_LOGON_FAILURE refused -U ann%x
why='tree connect failed' refused -N`,
    changed: {
      config: { accounts: [account('ann')], shares: [{ name: 'documents', path: '/srv/documents', readOnly: true }] },
      works: `hash() { pdbedit -Lw "$1" | cut -d: -f4; }
as() { smbclient "//$(hostname)/$2" -U "$1" --pw-nt-hash "$(hash "$1")" -c "$3" 2>&1 || true; }
rm -f /tmp/read; as ann documents 'get note /tmp/read'; grep -c hello /tmp/read
as ann documents 'put /tmp/note other' | grep -c NT_STATUS_ACCESS_DENIED
as bob documents ls | grep -c NT_STATUS_ACCESS_DENIED
as ann private ls | grep -c NT_STATUS_BAD_NETWORK_NAME`,
    },
    units: ['smbd', 'nmbd', 'samba-ad-dc'],
  },
};
