// The agent's version, as devices show it. A constant, because the bundled file has no package.json beside it; a test
// compares the two.
export const AGENT_VERSION = '0.1.0';
