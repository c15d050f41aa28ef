/** Where it is noted what was written, kept what that replaced, and noted what was taken in; only root reads it. */
export const STATE = '/var/lib/provisioning-files';

/** What was taken in of each entry, and by which units. */
export const TAKEN = `${STATE}/taken`;
