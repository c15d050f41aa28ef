/** Whether a workflow that has this status at Temporal has not ended. One that was paused from outside goes on when that is lifted. */
export const isOpen = (status: string): boolean => status === 'RUNNING' || status === 'PAUSED';
