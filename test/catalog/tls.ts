/** Client files on a host: certificates of the services' authority and another one, and the password of an account. */
export const clientFiles = (password?: object) => ({
  name: 'files',
  config: {
    files: {
      ...Object.fromEntries(
        ['ca', 'other'].map((name) => [
          name,
          { path: `/root/${name}.pem`, content: '@CA@\n', values: { CA: { generate: 'ca', name } } },
        ]),
      ),
      ...(password && { password: { path: '/root/password', content: '@WORD@', mode: '0600', values: { WORD: password } } }),
    },
  },
});

/** Returns a certificate of the authority `ca` for a service on the host `a`. Other names give another certificate. */
export const tlsFrom = (...names: string[]) => {
  const part = (part: string) => ({ generate: 'certificate', ca: 'ca', names: ['a', '127.0.0.1', ...names], part });
  return { certificate: part('certificate'), key: part('key') };
};

/**
 * Shell functions: `refused COMMAND…` succeeds if the command fails. `verified AUTHORITY PORT [OPTIONS…]` checks the
 * certificate of `a` as a client with this authority. `speaks VERSION PORT [OPTIONS…]` checks a TLS version.
 */
export const TLS_CLIENT = `refused() { ! "$@"; }
openssl_to() { timeout 10 openssl s_client -connect "$(hostname -I | cut -d' ' -f1):$1" "\${@:2}" </dev/null 2>&1; }
verified() { openssl_to "$2" -CAfile "/root/$1.pem" -verify_hostname a -verify_return_error "\${@:3}" | grep 'Verify return code: 0'; }
speaks() { openssl_to "$2" "-$1" -cipher ALL:@SECLEVEL=0 "\${@:3}" | grep -E 'Cipher is [A-Z]'; }
tls_holds() { verified ca "$@"; refused verified other "$@"; speaks tls1_2 "$@"; speaks tls1_3 "$@"; refused speaks tls1_1 "$@"; }
private() { [ "$(stat -c '%a %U:%G' "/etc/tls/$1/key.pem")" = "640 root:$2" ]; refused runuser -u nobody -- cat "/etc/tls/$1/key.pem"; }`;
