/** Returns the name at which clients reach the server: that of the page where the operator names no other one. */
export const hostOf = ({ host }: { readonly host: string }): string => host || location.hostname;
