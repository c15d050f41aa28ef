/** Folder with the list of written files, the files that they replaced, and the loaded state. Only root reads it. */
export const STATE = '/var/lib/provisioning-files';

/** Loaded state of each entry, with the units that loaded it. */
export const TAKEN = `${STATE}/taken`;
