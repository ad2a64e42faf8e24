// Whether the install commands let the service open tunnels. It is an option of the agent: only the device can change it later.
import '#/ui/form/checkbox.css';
import { Checkbox } from '@mantine/core';

interface AllowTunnelsProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  many?: boolean;
}

export const AllowTunnels = ({ checked, onChange, many = false }: AllowTunnelsProps) => (
  <Checkbox
    label={many ? 'Allow tunnels to the devices’ own ports' : 'Allow tunnels to this device’s own ports'}
    description="Anyone who may open tunnels can then reach them. It can be changed later, but only on the device."
    checked={checked}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
);
