// The agent's version, as devices show it. A constant, because one bundled file has no package.json beside it; a test
// holds the two together.
export const AGENT_VERSION = '0.1.0';
