import { quote } from '../../sdk/index.js';

/** Publishes a message and receives it, as the user of its environment, at the address `$1` and the port `$2`. */
export const IN_PLAIN = `exec 3<>/dev/tcp/$1/$2
login='{"verbose":false}'
if [ -n "\${NATS_USER-}" ]; then
  password="\${NATS_PASSWORD//\\\\/\\\\\\\\}"
  password="\${password//\\"/\\\\\\"}"
  if [[ $password == *[[:cntrl:]]* ]]; then
    for code in {1..31}; do
      printf -v code '%02x' "$code"
      printf -v sign %b "\\x$code"
      password="\${password//"$sign"/"\\\\u00$code"}"
    done
  fi
  login="{\\"verbose\\":false,\\"user\\":\\"$NATS_USER\\",\\"pass\\":\\"$password\\"}"
fi
printf 'CONNECT %s\\r\\nSUB provisioning.health 1\\r\\nPUB provisioning.health 2\\r\\nok\\r\\n' "$login" >&3
while IFS= read -r -t 3 line <&3; do
  case "$line" in
    'MSG provisioning.health 1 2'*) echo received; exit ;;
    -ERR*) echo "$line"; exit 1 ;;
  esac
done
exit 1`;

/** The same by TLS, which begins after the greeting of nats; its certificate has to be that of the file `$3`. */
const PYTHON = `
import json, os, socket, ssl, sys
host, port, certificate = sys.argv[1:]
own = open(certificate).read()
end = '-----END CERTIFICATE-----'
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.load_verify_locations(cadata=own[:own.index(end) + len(end)])
context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
with socket.create_connection((host.strip('[]'), int(port)), 5) as plain:
    while not plain.recv(1).endswith(b'\\n'):
        pass
    with context.wrap_socket(plain) as nats:
        login = {'verbose': False, 'tls_required': True}
        if 'NATS_USER' in os.environ:
            login.update(user=os.environ['NATS_USER'], **{'pass': os.environ['NATS_PASSWORD']})
        words = 'CONNECT %s\\r\\nSUB provisioning.health 1\\r\\nPUB provisioning.health 2\\r\\nok\\r\\n'
        nats.sendall((words % json.dumps(login)).encode())
        for line in nats.makefile('rb'):
            if line.startswith(b'MSG provisioning.health 1 2'):
                print('received')
                break
            if line.startswith(b'-ERR'):
                sys.exit(line.decode().strip())
`;

export const BY_TLS = `timeout 10 python3 -c ${quote(PYTHON)} "$@"`;
