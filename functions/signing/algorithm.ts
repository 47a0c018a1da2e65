/** The only one: the vendor's others are for services that span regions. */
export const algorithm = 'AWS4-HMAC-SHA256';
