/** The port of this machine by which a tunnel is entered unless another is named: those below 1024 are for root. */
export const tunnelPort = (port: number): number => (port < 1024 ? port + 8000 : port);
