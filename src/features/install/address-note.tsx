// A warning about the address in the commands: that no other machine can reach it, or that it is not encrypted.
import { isInsecure, isLoopback } from './install-commands.ts';

export function AddressNote({ origin }: { origin: string }) {
  const text = isLoopback(origin)
    ? `Only this machine can reach ${origin}. For another device, start the service with HOST and PUBLIC_URL set to an address that the device can reach.`
    : isInsecure(origin)
      ? '--insecure is needed because this address is plain http: anyone between the device and the service can read the device key and replace the agent with another program. Use an https address to avoid it.'
      : undefined;
  if (text === undefined) return null;
  return (
    <p className="dim" style={{ fontSize: 13 }}>
      {text}
    </p>
  );
}
