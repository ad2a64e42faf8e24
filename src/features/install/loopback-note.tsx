// Commands made on the service's own machine name an address that no other machine can reach; this warns of it.
export function LoopbackNote({ origin }: { origin: string }) {
  return (
    <p className="dim" style={{ fontSize: 13 }}>
      {origin} is reached from this machine only. For another device start the service with HOST and PUBLIC_URL set to
      an address that the device can reach.
    </p>
  );
}
