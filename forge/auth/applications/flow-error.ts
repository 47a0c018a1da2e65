/** Errors of the web application flow: GitHub's error codes, which clients know, each with its description. */
export const flowErrors = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch:
    'The redirect_uri MUST match the registered callback URL for this application.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  access_denied: 'The user has denied your application access.',
  invalid_request:
    'A code_challenge must be 43 base64url characters, with code_challenge_method S256.',
  unsupported_grant_type: 'The grant_type must be authorization_code.',
} as const;

export type FlowError = keyof typeof flowErrors;
