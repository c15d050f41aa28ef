import { resolve } from 'node:path';
import type { Session } from '../../program/session.js';

/** Option for the folder of certificates. */
export const CERTIFICATES = {
  flags: '--certificates <folder>',
  about: 'folder that deploy/certificates.sh made (default: certificates)',
} as const;

export const certificatesFolder = ({ cwd }: Session, given = 'certificates'): string => resolve(cwd, given);
