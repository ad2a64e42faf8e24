// What has to be known of the address in the commands: that no other machine reaches it, or that it is not encrypted.
import { isInsecure, isLoopback } from './install-commands.ts';

export function AddressNote({ origin }: { origin: string }) {
  const text = isLoopback(origin)
    ? `${origin} is reached from this machine only. For another device start the service with HOST and PUBLIC_URL set to an address that the device can reach.`
    : isInsecure(origin)
      ? '--insecure is there because this address is plain http: whoever is between the device and the service can read the device key and put another program in place of the agent. With an https address it is not needed.'
      : undefined;
  if (text === undefined) return null;
  return (
    <p className="dim" style={{ fontSize: 13 }}>
      {text}
    </p>
  );
}
