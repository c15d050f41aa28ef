/** Place of a method in the REST API (api/routes/route.ts derives it), for clients that load no schema. */
export interface MethodPlace {
  verb: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** Below `/v1`. */
  path: string;
  /** Whether it changes nothing, so that a lost answer is of no consequence. */
  safe?: true;
  /** Whether it waits for an end, up to the caller's time limit. */
  waits?: true;
  /** Whether its stream continues after an event of it. */
  resumes?: true;
}
