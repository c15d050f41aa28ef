import type { EC2 } from '@aws-sdk/client-ec2';

/** Sends one request with a time limit, and converts its failure to our errors. */
export type Ask = <T>(run: (ec2: EC2, options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/** Purpose of a request, for its error. */
export interface Purpose {
  what: string;
  on: string;
  signal?: AbortSignal | undefined;
}

/** Region that is open to the account. */
export interface Region {
  name: string;
  for(purpose: Purpose): Ask;
}
