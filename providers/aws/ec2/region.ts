import type { EC2 } from '@aws-sdk/client-ec2';

/** Makes one request with its time limit, and tells its failure in our words. */
export type Ask = <T>(run: (ec2: EC2, options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/** What a request is for, as its error says it. */
export interface Purpose {
  what: string;
  on: string;
  signal?: AbortSignal | undefined;
}

/** A region that is open to the account. */
export interface Region {
  name: string;
  for(purpose: Purpose): Ask;
}
