import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** Files of a key and a certificate in PEM format. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Creates an authority in a folder with openssl. It signs certificates for 127.0.0.1 and localhost. */
export async function makeAuthority(folder: string, name: string) {
  const openssl = (...args: string[]) => execa('openssl', args, { cwd: folder });
  const key = join(folder, `${name}.key`);
  const cert = join(folder, `${name}.pem`);
  await openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', cert, '-subj', `/CN=${name}`],
  );
  return {
    cert,
    /**
     * Signs a certificate.
     *
     * @param days from now; a negative number makes an expired certificate
     */
    async sign(title: string, { days = 2, names = 'IP:127.0.0.1,DNS:localhost' } = {}): Promise<Certificate> {
      const made = { key: join(folder, `${title}.key`), cert: join(folder, `${title}.pem`) };
      const request = join(folder, `${title}.csr`);
      const extensions = join(folder, `${title}.ext`);
      await writeFile(extensions, `subjectAltName=${names}\n`);
      await openssl(
        ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', made.key],
        ...['-out', request, '-subj', `/CN=${title}`],
      );
      await openssl(
        ...['x509', '-req', '-in', request, '-CA', cert, '-CAkey', key, '-CAcreateserial', '-out', made.cert],
        ...['-days', String(days), '-extfile', extensions],
      );
      return made;
    },
  };
}
