// What the end-to-end and the component tests send to a service without a page.

/** The API of a running service as one account sees it. */
export abstract class ServiceCalls {
  abstract readonly url: string;
  abstract readonly token: string;

  /** One call of the API with the account's token; fails on an error status. */
  async call<T>(method: string, at: string, body?: unknown): Promise<T> {
    const response = await fetch(this.url + at, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  createDevice(DeviceName: string, DeviceGroup = ''): Promise<{ DeviceId: string; DeviceKey: string }> {
    return this.call('POST', '/v1/devices', { DeviceName, DeviceGroup });
  }

  locate(id: string, Lat: number, Lng: number): Promise<void> {
    return this.call('POST', `/v1/devices/location/${id}`, { Lat, Lng });
  }

  /** Uploads a script, the shortest way to something that can be deployed. */
  async uploadScript(name: string, text: string, destination: string, version = '1.0.0'): Promise<string> {
    const form = new FormData();
    for (const [field, value] of Object.entries({
      size: String(text.length),
      version,
      type: 'script',
      destination,
      command: `./${name}`,
    }))
      form.set(field, value);
    form.set('file', new File([text], name));
    const response = await fetch(`${this.url}/v1/artifact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}` },
      body: form,
    });
    if (!response.ok) throw new Error(`upload of ${name}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { ArtifactId: string }).ArtifactId;
  }
}
