// A certificate that signs itself.
/** For "localhost", until 2126; made for these tests. */
export const LOCALHOST_TLS = {
  key: [
    '-----BEGIN PRIVATE KEY-----',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkAUzuKgS/2L2eSbR',
    'kpLQW7+x0yrWmdCY4CF933ncbFuhRANCAATixzehxd5m23+Qm1uV1W0E1d0AkAHl',
    'XhX0fyxbHHoJoNRhGuV5+PlriHKPWc4+excytES0Sb1TVXrfDu7dpPXe',
    '-----END PRIVATE KEY-----',
  ].join('\n'),
  cert: [
    '-----BEGIN CERTIFICATE-----',
    'MIIBlTCCATugAwIBAgIUNCyiBz992Egyk2JbWxn3B1JOeKQwCgYIKoZIzj0EAwIw',
    'FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE5NTk0M1oYDzIxMjYxMDI5',
    'MTk1OTQzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO',
    'PQMBBwNCAATixzehxd5m23+Qm1uV1W0E1d0AkAHlXhX0fyxbHHoJoNRhGuV5+Plr',
    'iHKPWc4+excytES0Sb1TVXrfDu7dpPXeo2kwZzAdBgNVHQ4EFgQUfDIIT13ql1lA',
    'Bn0MKnFDacHdN8QwHwYDVR0jBBgwFoAUfDIIT13ql1lABn0MKnFDacHdN8QwDwYD',
    'VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID',
    'SAAwRQIhANmjSPmuHA82d5XmSuQecGsQ0g+VcP6+DojRuWp0+VdzAiB6h9EMMjta',
    'IgcGEVkL4LT7XXJ9hRfbuAJTELHur9BXkw==',
    '-----END CERTIFICATE-----',
  ].join('\n'),
};
